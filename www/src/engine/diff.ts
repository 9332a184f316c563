// The difference between two lists, by Myers' greedy algorithm.

/** A run of elements that both lists have, or that only one of them has. */
export interface Piece {
  kind: "same" | "gone" | "new";
  /** Its range: in the old list if it is `gone`, otherwise in the new list. */
  from: number;
  to: number;
}

/**
 * The pieces that lead from one list to the other. If more than `most` elements differ, the search stops, and everything between the
 * common beginning and the common end counts as gone and new.
 */
export function difference(before: readonly string[], after: readonly string[], most: number): Piece[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const pieces: Piece[] = [];
  add(pieces, "same", 0, head);
  for (const piece of middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), most)) add(pieces, piece.kind, piece.from + head, piece.to + head);
  add(pieces, "same", after.length - tail, after.length);
  return pieces;
}

function middle(a: readonly string[], b: readonly string[], most: number): Piece[] {
  const whole: Piece[] = [];
  add(whole, "gone", 0, a.length);
  add(whole, "new", 0, b.length);
  if (a.length === 0 || b.length === 0) return whole;
  const bound = Math.min(most, a.length + b.length);
  // How far each diagonal k has been followed in `a`, beginning with k = -edits - 1; one copy for each number of edits.
  const trace: Int32Array[] = [];
  let ends = new Int32Array(3);
  for (let edits = 0; edits <= bound; edits++) {
    const next = new Int32Array(2 * edits + 3);
    for (let k = -edits; k <= edits; k += 2) {
      let x = edits === 0 ? 0 : goesDown(ends, edits, k) ? at(ends, edits, k + 1) : at(ends, edits, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      next[k + edits + 1] = x;
      if (x >= a.length && x - k >= b.length) return walkedBack(trace, a.length, b.length);
    }
    trace.push(next);
    ends = next;
  }
  return whole;
}

/** Where diagonal k ended in the previous step, which had one edit less than `edits`. */
const at = (ends: Int32Array, edits: number, k: number) => ends[k + edits]!;
const goesDown = (ends: Int32Array, edits: number, k: number) => k === -edits || (k !== edits && at(ends, edits, k - 1) < at(ends, edits, k + 1));

function walkedBack(trace: Int32Array[], x: number, y: number): Piece[] {
  const steps: Piece[] = [];
  for (let edits = trace.length; edits > 0; edits--) {
    const ends = trace[edits - 1]!;
    const k = x - y;
    const down = goesDown(ends, edits, k);
    const fromX = at(ends, edits, down ? k + 1 : k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    const startY = down ? fromY + 1 : fromY;
    if (y > startY) steps.push({ kind: "same", from: startY, to: y });
    steps.push(down ? { kind: "new", from: fromY, to: fromY + 1 } : { kind: "gone", from: fromX, to: fromX + 1 });
    [x, y] = [fromX, fromY];
  }
  if (y > 0) steps.push({ kind: "same", from: 0, to: y });
  // Put what is gone before what is new, and merge neighbours into one piece.
  const pieces: Piece[] = [];
  let [gone, fresh]: [Piece | null, Piece | null] = [null, null];
  const flush = () => {
    if (gone) add(pieces, "gone", gone.from, gone.to);
    if (fresh) add(pieces, "new", fresh.from, fresh.to);
    [gone, fresh] = [null, null];
  };
  for (const step of steps.reverse()) {
    if (step.kind === "same") {
      flush();
      add(pieces, "same", step.from, step.to);
    } else if (step.kind === "gone") gone = { kind: "gone", from: (gone as Piece | null)?.from ?? step.from, to: step.to };
    else fresh = { kind: "new", from: (fresh as Piece | null)?.from ?? step.from, to: step.to };
  }
  flush();
  return pieces;
}

function add(pieces: Piece[], kind: Piece["kind"], from: number, to: number): void {
  const last = pieces.at(-1);
  if (to <= from) return;
  if (last?.kind === kind && last.to === from) last.to = to;
  else pieces.push({ kind, from, to });
}
