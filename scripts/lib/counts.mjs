// Reads the number of passed and failed tests from a test runner's output.

const PATTERNS = {
  // Also fits wasm-bindgen's runner. One line per test binary.
  cargo: { passed: /^test result: .*?(\d+) passed/gm, failed: /^test result: .*?(\d+) failed/gm },
  node: { passed: /^\S* ?pass (\d+)$/gm, failed: /^\S* ?(?:fail|cancelled) (\d+)$/gm },
};

/** `{ passed, failed }`, summed over the output. */
export function countTests(kind, text) {
  const sum = (pattern) => [...text.matchAll(pattern)].reduce((total, [, n]) => total + Number(n), 0);
  return { passed: sum(PATTERNS[kind].passed), failed: sum(PATTERNS[kind].failed) };
}
