/** The bytes of an encoding's asset, for `loadEncoding`. */
declare const bytes: Uint8Array<ArrayBuffer>;
export = bytes;
