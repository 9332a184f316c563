// Shared by the type tests. Only identical types are equal; `any` is equal only to itself.

/** `true` if both are the same type. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles if `T` is `true`. */
export type Expect<T extends true> = T;
