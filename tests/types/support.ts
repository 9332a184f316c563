// What type tests share. Only exactly the same type is equal; `any` is equal to nothing but itself.

/** `true` if both are the same type. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles where `T` is `true`. */
export type Expect<T extends true> = T;
