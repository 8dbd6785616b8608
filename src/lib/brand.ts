declare const brand: unique symbol;

/** A `T` that went through the one check that may produce it: two brands of the same base type do not mix. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
