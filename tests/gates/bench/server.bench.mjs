import { words } from '#inputs';
import { parseCookie, stringifySetCookie } from 'cookie';
import { bench, group, run } from 'mitata';
import { match } from 'path-to-regexp';
import { addRoute, createRouter, findRoute } from 'rou3';

const routes = words.slice(0, 25).flatMap((one) => [`/${one}`, `/${one}/:id`, `/${one}/:id/items/**`]);
const urls = words.slice(0, 100).map((one, index) => `/${one}/${index}/items/a/b`);
const router = createRouter();
for (const route of routes) addRoute(router, 'GET', route, { route });
const matchers = ['/users/:id', '/files/*path', '/:section/:name{.:ext}'].map((one) => match(one));
const header = words.slice(0, 20).map((one, index) => `${one}=${index}%20${one}`).join('; ');

group('rou3', () => {
  bench('add', () => {
    const fresh = createRouter();
    for (const route of routes) addRoute(fresh, 'GET', route, { route });
    return fresh;
  });
  bench('find', () => urls.map((url) => findRoute(router, 'GET', url)));
});
bench('path-to-regexp > match', () => urls.map((url) => matchers.map((one) => one(url))));
bench('cookie > parse', () => parseCookie(header));
bench('cookie > stringify', () => stringifySetCookie({ name: 'a', value: 'b c', maxAge: 60, path: '/', httpOnly: true }));

await run();
