/* Structs as values: nested, with arrays, returned, selected, copied. */
void emit(unsigned long);
struct p { int x, y; }; struct line { struct p a, b; }; struct arr { int v[3]; char c; }; struct deep { struct { struct { long q[2]; } in; short s; } out; union { int i; float f; } u; };
struct empty {}; struct with_empty { int a; struct empty e; int b; };
static struct line shift(struct line l, int d) { l.a.x += d; l.b.y -= d; return l; }
static struct arr rot(struct arr a) { int t = a.v[0]; a.v[0] = a.v[1]; a.v[1] = a.v[2]; a.v[2] = t; return a; }
static struct p pick(int k, struct p a, struct p b) { return k ? a : b; }
static struct { long a; int b; } pair(long a) { return (typeof(pair(0))){a * 2, (int)a + 1}; }
static struct empty nothing(struct empty e) { return e; }
struct r2 { double d; int i; }; static struct r2 dbl(int i) { struct r2 r = {i * 1.5, i}; return r; }
volatile int one = 1;
int main(void) {
    struct line l = {{1, 2}, {3, 4}}; for (int i = 0; i < 5; i++) l = shift(l, i); emit(l.a.x * 1000 + l.a.y * 100 + l.b.x * 10); emit((unsigned)l.b.y);
    struct arr a = {{7, 8, 9}, 'c'}; for (int i = 0; i < 4; i++) { a = rot(a); emit(a.v[0] * 100 + a.v[1] * 10 + a.v[2] + a.c); }
    struct p u = {5, 6}, v = {7, 8}; struct p w = pick(one, u, v); emit(w.x * 10 + w.y); w = pick(!one, u, v); emit(w.x * 10 + w.y); w = one ? v : u; emit(w.x);
    struct deep d = {{{{11, 22}}, 33}, {.f = 2.0f}}, e = d; e.out.in.q[one] += 5; emit(e.out.in.q[0] + e.out.in.q[1] + e.out.s); emit(e.u.i); emit(d.out.in.q[1]);
    emit(pair(21).a + pair(3).b); struct with_empty we = {1, {}, 2}; we.e = nothing(we.e); emit(we.a + we.b); struct r2 r = dbl(7); emit(r.d * 2 + r.i);
    struct p ps[4] = {[2] = {9, 9}, [0] = {1}}; int t = 0; for (int i = 0; i < 4; i++) t = t * 10 + ps[i].x + ps[i].y; emit(t); ps[one] = ps[one + 1]; emit(ps[1].x);
    struct arr *pa = &a, b = *pa; b.v[one] = 1; emit(a.v[1] != b.v[1]); emit(sizeof(struct deep)); const struct p *cp = (struct p[]){{3, 1}, {4, 1}}; emit(cp[one].x);
    return 9;
}
