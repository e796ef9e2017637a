import { window } from './window.mjs';

const line =
  '2026-11-30T12:58:15Z host app[1234]: GET /api/v1/users/42?x=1&y=two HTTP/1.1 200 1534 "Mozilla/5.0 (X11; Linux)"';
const pattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\S+) (\w+) (\w+)\[(\d+)\]: (GET|POST) (\S+) HTTP\/1\.\d (\d+) (\d+) "([^"]*)"$/;

window((i) => {
  const text = line.replace('42', String(i));
  const match = pattern.exec(text);
  const path = match[9].split(/[?&]/).map((part) => part.toUpperCase()).join('|');
  const doubled = path.replace(/[aeiou]/gi, (letter) => letter + letter);
  return doubled.length + match[12].indexOf('Linux') + text.slice(5, 20).padStart(30, '*').length;
}, 10000);
