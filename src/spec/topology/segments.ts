import { inOrder } from '../../model/relation-index.ts';
import { NETWORKS_OF_PHYSICAL, SUBNETS_OF_VLAN, vlanKey } from '../../model/relations.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';

/**
 * The subnets among which addresses must differ, in canonical order: all of a VLAN of a physical network, or the subnet
 * alone.
 */
export function segmentOf(set: ResourceSet, subnet: ResourceOf<'Subnet'>): readonly ResourceOf<'Subnet'>[] {
  const { provider } = subnet.spec;
  const network = provider === undefined ? undefined : set.get('ProviderNetwork', provider.network);
  if (network === undefined) return [subnet];
  const networks = set.related(NETWORKS_OF_PHYSICAL, network.spec.physicalNetwork);
  return inOrder(networks.flatMap(({ name }) => set.related(SUBNETS_OF_VLAN, vlanKey(name, provider?.vlan))));
}
