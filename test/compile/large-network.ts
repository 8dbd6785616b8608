import { ResourceSet } from '../../src/model/resource-set.ts';
import type { Resource } from '../../src/model/resource.ts';

const PLACE = { file: 'large.yaml', line: 1, column: 1 };

/** A resource that is known to be right. */
export function resource(
  kind: Resource['kind'],
  name: string,
  spec: object,
  more: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> } = {},
): Resource {
  return {
    kind,
    name,
    namespace: more.namespace,
    labels: more.labels ?? {},
    annotations: {},
    spec,
    origin: { place: PLACE, placeOf: () => PLACE, excerptOf: () => ({ text: '', length: 0 }) },
  } as unknown as Resource;
}

/** Many VPCs with ports, groups, policies and balancers: `vpcs` times what one has. */
export function largeNetwork(vpcs: number, portsPerVpc: number): ResourceSet {
  const resources: Resource[] = [];
  for (let vpc = 0; vpc < vpcs; vpc += 1) {
    const name = `vpc-${vpc}`;
    const namespace = `team-${vpc}`;
    resources.push(
      resource('Vpc', name, {}),
      resource('Namespace', namespace, {}, { labels: { team: `${vpc}` } }),
      resource('Subnet', `${name}-web`, { vpc: name, cidrs: ['10.0.0.0/20', 'fd00:1::/64'], dhcp: {} }),
      resource('Subnet', `${name}-db`, {
        vpc: name,
        cidrs: ['10.0.16.0/20'],
        isolation: { mode: 'private' },
      }),
      resource('SecurityGroup', `${name}-web`, {
        vpc: name,
        selector: { matchLabels: { app: 'web' } },
        ingress: [{ protocol: 'tcp', ports: [{ from: 80 }] }, { remote: [{ cidr: '10.0.16.0/20' }] }],
      }),
      resource('LoadBalancer', `${name}-lb`, {
        vpc: name,
        vip: '10.96.0.1',
        listeners: [{ port: 80, protocol: 'tcp', backends: [{ target: `${namespace}/p-0`, port: 80 }] }],
      }),
    );
    for (let policy = 0; policy < 5; policy += 1) {
      resources.push(
        resource(
          'NetworkPolicy',
          `policy-${policy}`,
          {
            podSelector: { matchLabels: { app: 'db', shard: `${policy}` } },
            ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 5432 }] }],
          },
          { namespace },
        ),
      );
    }
    for (let port = 0; port < portsPerVpc; port += 1) {
      const app = port % 2 === 0 ? 'web' : 'db';
      resources.push(
        resource(
          'Port',
          `p-${port}`,
          { subnet: `${name}-${app}` },
          { namespace, labels: { app, shard: `${port % 5}` } },
        ),
      );
    }
  }
  return new ResourceSet(resources);
}
