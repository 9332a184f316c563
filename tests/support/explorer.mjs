// Runs a program once for every way in which its choices can fall.

/**
 * `program` is given `choose(of)`, a number below `of` that is another one in each run, and `isNew()`: whether no run before came
 * here, so that what was checked on the way need not be checked again. Resolves to how many ways there were.
 */
export async function explore(program) {
  let path = [];
  let known = 0;
  for (let paths = 1; ; paths++) {
    let at = 0;
    const choose = (of) => {
      if (at === path.length) path.push([0, of]);
      const [chosen, known] = path[at++];
      if (known !== of) throw new Error("the program is not the same as in the run before");
      return chosen;
    };
    try {
      await program(choose, () => at >= known);
    } catch (error) {
      throw new Error(`on the path ${path.slice(0, at).map(([chosen]) => chosen)}: ${error?.message ?? error}`, { cause: error });
    }
    path = path.slice(0, at);
    while (path.length && path.at(-1)[0] + 1 === path.at(-1)[1]) path.pop();
    if (path.length === 0) return paths;
    path.at(-1)[0]++;
    known = path.length;
  }
}
