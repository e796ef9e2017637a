import { program, shuffled, versions, words } from '#inputs';
import { parse, tokenizer } from 'acorn';
import picomatch from 'picomatch';
import semver from 'semver';
import { bench, group } from 'tiergate';

const range = new semver.Range('>=1.2.3 <5.0.0 || ^7.1.0');
const parsed = versions.map((one) => new semver.SemVer(one));
const unsorted = shuffled(versions.slice(0, 200));
const isScript = picomatch(['src/**/*.{js,mjs}', '!**/*.test.js']);
const paths = words.map((one, index) => `src/${one}/${index}${index % 4 ? '.js' : '.test.js'}`);

group('acorn', () => {
  bench('parse', () => parse(program, { ecmaVersion: 2024, sourceType: 'module' }));
  bench('tokens', () => {
    let count = 0;
    for (const token of tokenizer(program.slice(0, 4000), { ecmaVersion: 2024 })) count += token.end;
    return count;
  });
});
group('semver', () => {
  bench('satisfies', () => {
    let count = 0;
    for (const version of parsed) if (range.test(version)) count += 1;
    return count;
  });
  bench('parse', () => versions.slice(0, 100).map((one) => semver.parse(one)));
  bench('sort', () => semver.sort([...unsorted]));
});
group('picomatch', () => {
  bench('compile', () => picomatch('src/**/{a,b,c}/*.[jt]s?(x)'));
  bench('match', () => paths.filter((one) => isScript(one)));
});
