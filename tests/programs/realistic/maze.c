// The maze: nine symbolic moves, eight of which lead to the goal.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdlib.h>

#define WIDTH 7
#define HEIGHT 5
#define STEPS 9

static const char maze[HEIGHT][WIDTH + 1] = {
    "+-+---+",
    "| |  #|",
    "| | --|",
    "|     |",
    "+-----+",
};

int main(void) {
  char moves[STEPS];
  klee_make_symbolic(moves, sizeof moves, "moves");
  int x = 1, y = 1;
  for (int i = 0; i < STEPS; i++) {
    int nx = x, ny = y;
    switch (moves[i]) {
    case 'w':
      ny--;
      break;
    case 's':
      ny++;
      break;
    case 'a':
      nx--;
      break;
    case 'd':
      nx++;
      break;
    default:
      return 1;
    }
    if (maze[ny][nx] == '#')
      abort(); //~ abort main
    if (maze[ny][nx] != ' ')
      return 1;
    if (i > 6 && ny == 1 && nx == 1)
      return 0;
    x = nx;
    y = ny;
  }
  return 1;
}
