// Pictures of a report: an icicle (where did it go?) and a tree (which way did it go?). The data comes from a script beside the page;
// names in it are untrusted and only ever become text nodes. Everything can be reached with the keyboard.
"use strict";
(function () {
  const NS = "http://www.w3.org/2000/svg";
  const ROW = 22;

  function make(name, attributes, parent) {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(node);
    return node;
  }

  function text(parent, content, attributes) {
    const node = make("text", attributes, parent);
    node.textContent = content;
    return node;
  }

  function short(n) {
    for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (n >= size) return (n / size).toFixed(1) + " " + unit;
    return String(Math.round(n));
  }

  // Data: names[], nodes: [parent or -1, name, values[], link, kind]; parents first.
  function prepare(data) {
    const nodes = data.nodes.map(([parent, name, values, link, kind]) => ({
      parent: parent, name: data.names[name] || "", own: values, link: link, kind: kind, children: [], total: values.slice(),
    }));
    const root = { parent: -1, name: data.root, own: data.metrics.map(() => 0), total: data.metrics.map(() => 0), children: [] };
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i];
      const up = node.parent >= 0 && node.parent < i ? nodes[node.parent] : root;
      node.up = up;
      up.children.unshift(node);
      node.total.forEach((v, m) => { up.total[m] += v; });
    }
    return root;
  }

  function icicle(place, data) {
    const root = prepare(data);
    let metric = 0, focus = root;
    const bar = document.createElement("div");
    bar.className = "bar";
    const label = document.createElement("span");
    label.textContent = "Width:";
    bar.appendChild(label);
    const buttons = data.metrics.map((name, m) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => { metric = m; draw(); });
      bar.appendChild(button);
      return button;
    });
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = "Zoom out";
    back.addEventListener("click", () => { if (focus.up) { focus = focus.up; draw(); } });
    bar.appendChild(back);
    const said = document.createElement("p");
    said.setAttribute("aria-live", "polite");
    const picture = document.createElement("div");
    picture.className = "picture";
    place.append(bar, picture, said);

    function describe(node) {
      const whole = root.total[metric] || 1;
      const part = (100 * node.total[metric] / whole).toFixed(1);
      return node.name + ": " + data.metrics.map((name, m) => short(node.total[m]) + " " + name).join(", ") + " (" + part + " %)";
    }

    function draw() {
      buttons.forEach((b, m) => b.setAttribute("aria-pressed", String(m === metric)));
      back.disabled = !focus.up;
      const width = Math.max(320, place.clientWidth - 4);
      picture.replaceChildren();
      const svg = make("svg", { width: width, role: "group", "aria-label": "Click or press Enter on a cell to zoom in" });
      let deepest = 0;
      const open = [[focus, 0, 0, width]];
      while (open.length) {
        const [node, depth, x, w] = open.pop();
        if (w < 1.5 || depth > 400) continue;
        deepest = Math.max(deepest, depth);
        const cell = make("g", { class: "cell k" + (node.kind === "bug" ? "bug" : depth % 5), tabindex: "0", role: "button", "aria-label": describe(node) }, svg);
        make("title", {}, cell).textContent = describe(node);
        make("rect", { x: x, y: depth * ROW, width: w, height: ROW - 1 }, cell);
        const room = Math.floor((w - 6) / 7.3);
        if (room > 2) text(cell, node.name.length > room ? node.name.slice(0, room - 1) + "…" : node.name, { x: x + 3, y: depth * ROW + 15 });
        const zoom = () => {
          said.textContent = describe(node);
          if (node.link && (!node.children.length || node === focus)) { location.href = node.link; return; }
          focus = node === focus && node.up ? node.up : node;
          draw();
        };
        cell.addEventListener("click", zoom);
        cell.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); zoom(); } });
        const whole = node.total[metric];
        let at = x;
        for (const child of node.children) {
          const cw = whole > 0 ? w * child.total[metric] / whole : 0;
          open.push([child, depth + 1, at, cw]);
          at += cw;
        }
      }
      svg.setAttribute("height", (deepest + 1) * ROW);
      picture.appendChild(svg);
    }
    draw();
    addEventListener("resize", draw);
  }

  function tree(place, data) {
    const root = prepare(data);
    const top = root.children.length === 1 ? root.children[0] : root;
    const picture = document.createElement("div");
    picture.className = "picture";
    place.appendChild(picture);
    let selected = top;

    function draw() {
      const shown = [], X = 170, Y = 26;
      let row = 0, deepest = 0;
      (function walk(node, depth) {
        node.depth = depth;
        deepest = Math.max(deepest, depth);
        const children = node.closed ? [] : node.children;
        children.forEach((c) => walk(c, depth + 1));
        node.row = children.length ? (children[0].row + children[children.length - 1].row) / 2 : row++;
        shown.push(node);
      })(top, 0);
      picture.replaceChildren();
      const svg = make("svg", { width: (deepest + 1) * X + 260, height: row * Y + 20, role: "tree", "aria-label": "Execution tree" });
      for (const n of shown) {
        if (n === top) continue;
        const [x0, y0, x1, y1] = [n.up.depth * X + 12, n.up.row * Y + 16, n.depth * X + 12, n.row * Y + 16];
        make("path", { class: "edge", d: `M${x0} ${y0} C${x0 + 60} ${y0} ${x1 - 60} ${y1} ${x1} ${y1}` }, svg);
      }
      for (const n of shown) {
        const folded = n.closed && n.children.length;
        const g = make("g", { class: "node " + (folded ? "closed" : n.kind || ""), tabindex: n === selected ? "0" : "-1", role: "treeitem", "aria-label": n.name + (n.kind ? ", " + n.kind : "") }, svg);
        if (n.children.length) g.setAttribute("aria-expanded", String(!n.closed));
        make("title", {}, g).textContent = n.name + " – " + data.metrics.map((m, i) => short(n.own[i]) + " " + m).join(", ");
        make("circle", { cx: n.depth * X + 12, cy: n.row * Y + 16, r: 6 }, g);
        text(g, n.name.length > 26 ? n.name.slice(0, 25) + "…" : n.name, { x: n.depth * X + 22, y: n.row * Y + 12 });
        const act = () => {
          selected = n;
          if (n.children.length) { n.closed = !n.closed; draw(); } else if (n.link) location.href = n.link;
        };
        g.addEventListener("click", act);
        g.addEventListener("keydown", (e) => {
          const siblings = n.up ? n.up.children : [n];
          const i = siblings.indexOf(n);
          const to = { ArrowRight: n.closed ? null : n.children[0], ArrowLeft: n === top ? null : n.up, ArrowDown: siblings[i + 1], ArrowUp: siblings[i - 1] }[e.key];
          if (e.key === "Enter" || e.key === " ") { e.preventDefault(); act(); }
          if (to) { e.preventDefault(); selected = to; draw(); }
        });
        if (n === selected) n.element = g;
      }
      picture.appendChild(svg);
      if (picture.contains(selected.element) && draw.again) selected.element.focus();
      draw.again = true;
    }
    draw();
  }

  document.querySelectorAll("[data-picture]").forEach((place) => {
    const data = (window.forkwise || {})[place.dataset.name];
    if (!data) return;
    place.replaceChildren();
    (place.dataset.picture === "tree" ? tree : icicle)(place, data);
  });
  // A link to a test opens it.
  function reveal() {
    const at = location.hash && document.getElementById(location.hash.slice(1));
    if (at && at.tagName === "DETAILS") at.open = true;
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
