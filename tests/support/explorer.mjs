// Runs a program once for every combination of its choices.

/**
 * `program` gets `choose(of)`, which returns a number below `of` (every combination occurs in one run), and `isNew()`: whether no earlier
 * run came here, so that checks made on the way need not be repeated. Resolves to the number of combinations.
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
