/** A file of this package, as your bundler's loader passes it on: its URL as a text, or its bytes (`Uint8Array`). */
declare const file: any;
export default file;
