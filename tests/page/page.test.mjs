// The HTML report in Chromium. `TIERGATE_PAGES` is the folder that the Rust test wrote the pages to.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { contrastFaults } from './contrast.mjs';

const PAGES = ['comparison', 'elsewhere', 'hostile', 'large', 'nothing', 'run'];
const folder = process.env.TIERGATE_PAGES;
const DESKTOP = { width: 1280, height: 900 };

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.TIERGATE_BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
});
after(() => browser?.close());

/** Opens a page in a fresh profile, gives it to `use`, and checks that it asked for nothing. */
async function open(name, options, use) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  try {
    const page = await context.newPage();
    const faults = [];
    const requests = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    const url = pathToFileURL(join(folder, `${name}.html`)).href;
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    await use(page);
    const foreign = requests.filter((request) => request !== url && !request.startsWith('blob:') && request !== 'data:,');
    assert.deepEqual(foreign, [], 'requests');
    assert.deepEqual(faults, [], 'errors on the console');
  } finally {
    await context.close();
  }
}

const verdicts = (page) => page.locator('.bench:visible').evaluateAll(
  (rows) => rows.map((row) => row.dataset.verdict));
const names = (page) => page.locator('.bench:visible .bench-name').allTextContents();
const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim());
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

for (const name of PAGES) {
  test(`${name}: loads nothing, reports no error, and has its data`, () => open(name, {}, async (page) => {
    const data = JSON.parse(await page.locator('#data').textContent());
    const rows = data.rows ?? data.benches;
    assert.equal(rows.length, await page.locator('.bench').count());
    assert.match(await page.title(), / – tiergate/);
  }));

  test(`${name}: fits on screens of any width`, () => open(name, {}, async (page) => {
    const widths = () => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    for (const open of [false, true]) {
      await page.evaluate((open) => {
        for (const details of [...document.querySelectorAll('details')].slice(0, 60)) details.open = open;
      }, open);
      for (const width of [1280, 1060, 800, 390, 320]) {
        await page.setViewportSize({ width, height: 700 });
        const [content, screen] = await widths();
        assert.ok(content <= screen, `${content} > ${screen}, ${open ? 'open' : 'closed'}`);
      }
    }
  }));
}

test('a filter takes words of names and reasons', () => open('comparison', {}, async (page) => {
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('SLUG acc');
  assert.deepEqual(await names(page), ['slug > accents']);
  assert.equal(await page.locator('#shown').textContent(), '1 of 10 benches');
  await filter.fill('TypeError');
  assert.deepEqual(await verdicts(page), ['INCOMPLETE']);
  await filter.fill('no such bench');
  assert.ok(await page.getByText('No bench matches.').isVisible());
  await filter.press('Escape');
  assert.equal((await names(page)).length, 10);
}));

test('chips choose verdicts, alone and with the filter', () => open('comparison', {}, async (page) => {
  const fail = page.getByRole('button', { name: /^✕?\s*FAIL/ });
  await fail.click();
  assert.equal(await fail.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await verdicts(page), ['FAIL']);
  await page.getByRole('button', { name: /warn/ }).click();
  assert.deepEqual(await verdicts(page), ['FAIL', 'warn']);
  await page.getByRole('searchbox').fill('slug');
  assert.deepEqual(await verdicts(page), ['warn']);
  await page.getByRole('searchbox').fill('');
  await fail.click();
  assert.deepEqual(await verdicts(page), ['warn']);
}));

test('columns sort both ways, unknown values last', () => open('comparison', {}, async (page) => {
  const inOrder = await names(page);
  const heading = page.getByRole('columnheader', { name: 'change' });
  const changes = () => page.locator('.bench .row td:nth-child(3)').allTextContents();
  await heading.getByRole('button').click();
  assert.equal(await heading.getAttribute('aria-sort'), 'descending');
  const known = (texts) => texts.filter((text) => text !== '-').map((text) => parseFloat(text));
  let texts = await changes();
  assert.deepEqual(known(texts), known(texts).toSorted((a, b) => b - a));
  assert.deepEqual(texts.slice(known(texts).length).filter((text) => text !== '-'), []);
  await heading.getByRole('button').click();
  assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
  texts = await changes();
  assert.deepEqual(known(texts), known(texts).toSorted((a, b) => a - b));
  assert.equal(texts.at(-1), '-');
  await page.getByRole('columnheader', { name: 'verdict' }).getByRole('button').click();
  assert.equal(await heading.getAttribute('aria-sort'), null);
  assert.deepEqual(await names(page), inOrder);
  await page.getByRole('columnheader', { name: 'bench', exact: true }).getByRole('button').click();
  assert.notDeepEqual(await names(page), inOrder);
}));

test('everything can be done with the keyboard', () => open('comparison', {}, async (page) => {
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  assert.equal(await page.locator('#filter').inputValue(), '');
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /count words$/);
  const first = page.locator('.bench').first();
  const detail = first.locator('.detail');
  assert.ok(!await detail.isVisible());
  await page.keyboard.press('Enter');
  assert.ok(await detail.isVisible());
  await page.keyboard.press('Enter');
  assert.ok(!await detail.isVisible());
  await page.keyboard.press('ArrowRight');
  assert.ok(await detail.isVisible());
  await page.keyboard.press('ArrowLeft');
  assert.ok(!await detail.isVisible());
  await page.keyboard.press('End');
  assert.match(await focused(page), /later$/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  assert.match(await focused(page), /count words$/);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  // From the top, Tab reaches every button in the order of the page.
  await page.evaluate(() => document.activeElement.blur());
  const reached = [];
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
  }
  for (const id of ['theme', 'filter', 'chip', 'expand', 'save']) {
    assert.ok(reached.includes(id), `${id} in ${reached}`);
  }
}));

test('a row opens by a click anywhere on it, and all at once', () => open('comparison', {}, async (page) => {
  const first = page.locator('.bench').first();
  await first.locator('td.num').first().click();
  assert.ok(await first.locator('.detail').isVisible());
  await first.locator('summary').click();
  assert.ok(!await first.locator('.detail').isVisible());
  await page.getByRole('button', { name: 'Expand all' }).click();
  assert.equal(await page.locator('.detail:visible').count(), 10);
  await page.getByRole('button', { name: 'Collapse all' }).click();
  assert.equal(await page.locator('.detail:visible').count(), 0);
}));

test('a bench shows readings, proof and wall time of both sides', () => open('comparison', {}, async (page) => {
  await page.locator('.bench summary').first().click();
  const detail = page.locator('.detail').first();
  const plots = await detail.getByRole('img').evaluateAll((all) => all.map((one) => one.ariaLabel));
  assert.deepEqual(plots.map((label) => label.split(' from')[0]),
    ['base: 5 readings', 'head: 5 readings', 'base: 5 readings', 'head: 5 readings',
      ...Array(2).fill('parse compiled by TurboFan after 1,350 ops, 2,600 before the window')]);
  for (const text of ['A/A 0 %', '171,978', 'futex (202)', 'Wall time', 'warm-up ops', 'clock, gate',
    'tiers › (anonymous)', 'young collections']) {
    assert.ok((await detail.textContent()).includes(text), text);
  }
}));

test('a change of code in a window is told', () => open('comparison', {}, async (page) => {
  const bench = page.locator('.bench', { hasText: 'deep object' });
  await bench.locator('summary').click();
  assert.equal(await bench.getByRole('img', { name: /before the window; 1 change in it$/ }).count(), 1);
}));

test('pairs under perturbations stand below one another', () => open('comparison', {}, async (page) => {
  const bench = page.locator('.bench', { hasText: 'slug > plain' });
  await bench.locator('summary').click();
  assert.deepEqual(await bench.locator('.plots h4').allTextContents(),
    ['unperturbed+1.46 %', 'mixed+1.41 %', 'mixed 2+1.52 %', 'hash seed+1.37 %']);
  assert.equal(await bench.getByRole('img').count(), 8 + 2);
  assert.equal(await page.getByRole('columnheader', { name: 'noise floor' }).count(), 1);
}));

test('the theme follows the system until it is chosen', () => open('comparison', { colorScheme: 'dark' }, async (page) => {
  const dark = await background(page);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await background(page);
  assert.notEqual(dark, light);
  const button = page.getByRole('button', { name: /Theme/ });
  await button.click();
  assert.equal(await button.textContent(), 'Theme: light');
  await button.click();
  assert.equal(await button.textContent(), 'Theme: dark');
  assert.equal(await background(page), dark);
  await page.reload();
  assert.equal(await background(page), dark, 'remembered');
  await button.click();
  assert.equal(await button.textContent(), 'Theme: system');
  assert.equal(await background(page), light);
}));

test('all of it can be read without a script', () => open('comparison', { javaScriptEnabled: false }, async (page) => {
  assert.ok(!await page.locator('.controls').isVisible());
  assert.ok(!await page.locator('#theme').isVisible());
  assert.equal(await page.locator('.bench:visible').count(), 10);
  const first = page.locator('.bench').first();
  assert.ok(!await first.locator('.detail').isVisible());
  await first.locator('summary').click();
  assert.ok(await first.locator('.detail').isVisible());
}));

for (const colorScheme of ['light', 'dark']) {
  test(`texts have enough contrast: ${colorScheme}`, async () => {
    for (const name of ['comparison', 'elsewhere', 'run']) {
      await open(name, { colorScheme }, async (page) => {
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
          document.querySelector('.chip')?.click();
          document.querySelector('.chip')?.click();
        });
        assert.deepEqual(await page.evaluate(contrastFaults), []);
      });
    }
  });
}

test('names are shown and do nothing', () => open('hostile', {}, async (page) => {
  await page.getByRole('button', { name: 'Expand all' }).click();
  await page.locator('.environment summary').click();
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator('img, iframe, object, [autofocus]').count(), 0);
  assert.equal(await page.locator('script').count(), 2);
  assert.ok((await names(page)).includes('</script><script>window.pwned = 1</script>'));
  const text = await page.locator('body').innerText();
  assert.ok(!/[\u0000\u001b\u202e\u2028]/.test(text));
}));

test('what differs between the environments is marked and open', () => open('elsewhere', {}, async (page) => {
  assert.equal(await page.locator('h1').textContent(), 'Not comparable ');
  const differing = await page.locator('.environment tr.differs th').allTextContents();
  assert.deepEqual(differing, ['engine › version ≠ differs', 'engine › flags ≠ differs',
    'libc ≠ differs', 'kernel ≠ differs, not compared']);
  assert.ok(await page.getByText('--no-sparkplug').isVisible());
}));

test('a thousand benches stay usable', () => open('large', {}, async (page) => {
  // In the page, from the action to the end of the layout that it causes.
  const timed = (act) => page.evaluate((source) => {
    const start = performance.now();
    new Function(source)();
    document.body.getBoundingClientRect();
    return performance.now() - start;
  }, act);
  const type = (text) => `const filter = document.querySelector('#filter');
    filter.value = '${text}';
    filter.dispatchEvent(new Event('input'));`;
  // A machine under load is slow at everything: what an action may take is told by what the
  // browser needs to lay out the table once.
  const table = "const table = document.querySelector('#benches'); table.hidden = true;"
    + 'document.body.getBoundingClientRect(); table.hidden = false;';
  const layouts = [await timed(table), await timed(table), await timed(table)];
  const took = {
    filter: await timed(type('p7/ case 4')),
    all: await timed(type('')),
    sort: await timed("document.querySelectorAll('thead button')[3].click()"),
    expand: await timed("document.querySelector('#expand').click()"),
  };
  assert.equal(await page.locator('#shown').textContent(), '1,000 benches');
  for (const [what, milliseconds] of Object.entries(took)) {
    const most = 8 * Math.max(...layouts) + 200;
    assert.ok(milliseconds < most, `${what} took ${milliseconds} ms, layouts ${layouts}`);
  }
}));

test('the data is saved as it is', () => open('comparison', {}, async (page) => {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as JSON' }).click();
  const saved = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  assert.deepEqual(saved, JSON.parse(await page.locator('#data').textContent()));
  assert.equal((await download).suggestedFilename(), 'tiergate-comparison.json');
}));

test('on paper there are no controls, and without motion no transitions', () => open('comparison', { reducedMotion: 'reduce' }, async (page) => {
  const durations = await page.locator('button, .row > *').evaluateAll(
    (all) => all.map((one) => getComputedStyle(one).transitionDuration));
  assert.deepEqual([...new Set(durations)], ['0s']);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.ok(!await page.locator('.controls').isVisible());
  assert.equal(await page.locator('.bench:visible').count(), 10);
  const color = await page.evaluate(() => getComputedStyle(document.body).color);
  assert.equal(color, 'rgb(29, 30, 33)');
}));
