/** The user's own name for a row whose name in OVN had to be another, verbatim in external_ids. */
export function documentName(name: string): Readonly<Record<string, string>> {
  return { 'ovn-gitops:name': name };
}
