import { cidrContains } from '../lib/cidr.ts';
import type { Ip } from '../lib/ip.ts';
import {
  BALANCERS_OF_VPC,
  BALANCERS_PROBING_SUBNET,
  EIPS_OF_SUBNET,
  VPCS_ON_SUBNET,
} from '../model/relations.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import { ipOf } from './text.ts';
import type { SubnetNode } from './topology.ts';

/**
 * The addresses in a subnet that something other than a Port holds: routers on an external subnet, Eips, sources of
 * health checks and virtual addresses. None of them is given out automatically.
 */
export function reservedAddresses({ name, vpc, networks }: SubnetNode, set: ResourceSet): readonly Ip[] {
  const routers = set
    .related(VPCS_ON_SUBNET, name)
    .flatMap(({ spec }) => (spec.external ?? []).filter(({ subnet }) => subnet === name))
    .flatMap(({ addresses }) => addresses);
  const eips = set.related(EIPS_OF_SUBNET, name).map(({ spec }) => spec.address);
  const sources = set
    .related(BALANCERS_PROBING_SUBNET, name)
    .flatMap(({ spec }) => (spec.healthCheck?.sources ?? []).filter(({ subnet }) => subnet === name))
    .map(({ address }) => address);
  const virtual = (vpc === undefined ? [] : set.related(BALANCERS_OF_VPC, vpc))
    .flatMap(({ spec }) => (spec.vip === undefined ? [] : [ipOf(spec.vip)]))
    .filter((vip) => networks.some(({ cidr }) => cidrContains(cidr, vip)));
  return [...[...routers, ...eips, ...sources].map(ipOf), ...virtual];
}
