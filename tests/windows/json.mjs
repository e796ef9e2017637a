import { window } from './window.mjs';

const users = Array.from({ length: 20 }, (_, i) => ({
  id: i, name: `user ${i}`, tags: ['a', 'b', 'c'], score: i * 1.5, nested: { x: i, y: [1, 2, 3], z: null, t: true },
}));
const text = JSON.stringify({ users });

window((i) => {
  const value = JSON.parse(text);
  value.users[i % 20].id = i;
  return JSON.stringify(value).length;
});
