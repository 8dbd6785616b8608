/** What is wrong with the name of an installation; undefined when nothing is. It becomes part of marks and of Redis keys. */
export function ownerFault(owner: string): string | undefined {
  return /^[A-Za-z0-9._-]{1,63}$/.test(owner)
    ? undefined
    : 'is not made of 1 to 63 letters, digits, dots, dashes and underscores';
}
