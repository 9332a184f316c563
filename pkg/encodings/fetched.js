// Fetches an asset in environments where a runtime or bundler serves it next to the program.

/** @param {URL} url */
export async function bytesOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${url}: serve contextfold's encodings beside its code, or import their bytes another way (docs/runtimes.md)`);
  return new Uint8Array(await response.arrayBuffer());
}
