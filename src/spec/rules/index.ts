import type { Rule } from '../rule.ts';
import { addressClaimsHold } from './address-claims.ts';
import { addressLocks } from './address-locks.ts';
import { balancedGateways } from './balanced-gateways.ts';
import { doubleRestriction } from './double-restriction.ts';
import { eipOwners } from './eip-joins.ts';
import { excludes } from './excludes.ts';
import { externalConnections } from './external-connections.ts';
import { healthChecks } from './health-checks.ts';
import { labelSelectors } from './label-selectors.ts';
import { uniqueListeners } from './listeners.ts';
import { loadBalancers } from './load-balancers.ts';
import { namedPorts } from './named-ports.ts';
import { namespaces } from './namespaces.ts';
import { natConflicts } from './nat-conflicts.ts';
import { natRules } from './nat-rules.ts';
import { networkPolicies } from './network-policies.ts';
import { onePerFamily } from './one-per-family.ts';
import { overlappingNetworks } from './overlapping-networks.ts';
import { peerings } from './peerings.ts';
import { policyConflicts } from './policy-conflicts.ts';
import { policyMatches } from './policy-matches.ts';
import { policyRoutes } from './policy-routes.ts';
import { portIdentity } from './port-identity.ts';
import { providerVlans } from './provider-vlans.ts';
import { referencesResolve } from './references-resolve.ts';
import { reservedRanges } from './reserved-ranges.ts';
import { securityGroups } from './security-groups.ts';
import { specialNetworks } from './special-networks.ts';
import { staticRoutes } from './static-routes.ts';
import { subnetGateways } from './subnet-gateways.ts';
import { subnetSettings } from './subnet-settings.ts';
import { singleKinds } from './unique-identity.ts';
import { untranslatedSubnets } from './untranslated-subnets.ts';
import { virtualAddresses } from './virtual-addresses.ts';

/** Rules that look at each resource by itself, also at one whose identity was declared before. */
export const RULES_OF_EACH: readonly Rule[] = [referencesResolve, onePerFamily, labelSelectors];

/** All other rules, from what a resource is to how resources meet. */
export const RULES: readonly Rule[] = [
  singleKinds,
  namespaces,
  subnetGateways,
  subnetSettings,
  specialNetworks,
  excludes,
  overlappingNetworks,
  reservedRanges,
  addressClaimsHold,
  addressLocks,
  portIdentity,
  namedPorts,
  externalConnections,
  providerVlans,
  peerings,
  staticRoutes,
  policyMatches,
  policyRoutes,
  policyConflicts,
  natRules,
  natConflicts,
  untranslatedSubnets,
  eipOwners,
  loadBalancers,
  virtualAddresses,
  uniqueListeners,
  healthChecks,
  balancedGateways,
  securityGroups,
  networkPolicies,
  doubleRestriction,
];
