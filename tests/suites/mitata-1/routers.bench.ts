// Two routers against each other, with computed parameters, in one file for three engines.

import { bench, do_not_optimize, group, run, summary } from 'mitata';

type Match = { name: string; params: Record<string, string> } | undefined;
type Router = (path: string) => Match;

const routes = ['/', '/users', '/users/:id', '/users/:id/posts/:post', '/static/:file'];
const requests: Record<string, string> = {
  static: '/users',
  dynamic: '/users/17',
  deep: '/users/17/posts/99',
  missing: '/nothing/here/at/all',
};

function byRegularExpression(): Router {
  const compiled = routes.map((name) => ({
    name,
    pattern: new RegExp(`^${name.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }));
  return (path) => {
    for (const { name, pattern } of compiled) {
      const found = pattern.exec(path);
      if (found) return { name, params: { ...found.groups } };
    }
    return undefined;
  };
}

function byCompiledFunction(): Router {
  const cases = routes.map((name) => {
    const parts = name.split('/');
    const tests = parts.map((part, index) =>
      part[0] === ':' ? 'true' : `parts[${index}] === ${JSON.stringify(part)}`,
    );
    const params = parts.flatMap((part, index) => (part[0] === ':' ? [`${part.slice(1)}: parts[${index}]`] : []));
    const condition = [`parts.length === ${parts.length}`, ...tests].join(' && ');
    return `if (${condition}) return { name: ${JSON.stringify(name)}, params: { ${params.join(', ')} } };`;
  });
  return new Function('path', `const parts = path.split('/');${cases.join('\n')}`) as Router;
}

for (const [kind, path] of Object.entries(requests)) {
  group(kind, () => {
    summary(() => {
      for (const [name, create] of Object.entries({ byRegularExpression, byCompiledFunction })) {
        bench(name, function* () {
          const find = create();
          yield {
            [0]: () => path,
            bench: (request: string) => do_not_optimize(find(request)),
          };
        }).gc('inner');
      }
    });
  });
}

await run({ throw: true, format: 'quiet' });
