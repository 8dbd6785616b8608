/*
 * Names of router ports: people write them in match expressions. Names of documents hold only [a-z0-9.-], so ":" separates
 * parts without ambiguity.
 */

/**
 * Name of the router's port on a subnet. ovn-northd calls the port's chassis-bound twin `cr-NAME`, so a VPC whose own
 * name starts with `cr-` is set apart by a leading colon.
 */
export function routerPortName(vpc: string, subnet: string): string {
  return `${routerName(vpc)}:${subnet}`;
}

/** Name of the router's port on the link of a peering. */
export function peeringPortName(vpc: string, peering: string): string {
  return `${routerName(vpc)}:peering:${peering}`;
}

function routerName(vpc: string): string {
  return vpc.startsWith('cr-') ? `:${vpc}` : vpc;
}
