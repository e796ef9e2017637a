'use strict';
// The page can be read without this script; it adds filter, sorting, keys and the choice of theme.
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add('js');

  // The theme follows the system until it is chosen; a browser may refuse to remember the choice.
  const themes = ['system', 'light', 'dark'];
  const remembered = {
    get theme() {
      try { return localStorage.getItem('tiergate-theme'); } catch { return null; }
    },
    set theme(name) {
      try { localStorage.setItem('tiergate-theme', name); } catch { /* Not remembered. */ }
    },
  };
  const themeButton = find('#theme');
  const showTheme = (name) => {
    if (name === 'system') delete root.dataset.theme;
    else root.dataset.theme = name;
    themeButton.textContent = `Theme: ${name}`;
    themeButton.dataset.next = themes[(themes.indexOf(name) + 1) % themes.length];
  };
  showTheme(themes.includes(remembered.theme) ? remembered.theme : 'system');
  themeButton.hidden = false;
  themeButton.addEventListener('click', () => {
    remembered.theme = themeButton.dataset.next;
    showTheme(themeButton.dataset.next);
  });

  const table = find('#benches');
  if (!table) return;
  const form = find('.controls');
  const filter = find('#filter');
  const chips = all('.chip');
  const shown = find('#shown');
  const expand = find('#expand');
  let benches = all('.bench').map((body) => ({
    body,
    details: body.querySelector('details'),
    summary: body.querySelector('summary'),
    verdict: body.dataset.verdict,
    text: body.querySelector('.name').textContent.toLowerCase(),
    cells: [...body.querySelector('.row').cells],
  }));
  const visible = () => benches.filter(({ body }) => !body.hidden);

  // Each of many that open at once tells so; one count after all of them is enough.
  let counting = false;
  const countOpen = () => {
    if (counting) return;
    counting = true;
    requestAnimationFrame(() => { counting = false; showCount(); });
  };
  const showCount = () => {
    const rows = visible();
    const all = rows.length > 0 && rows.every(({ details }) => details.open);
    expand.textContent = all ? 'Collapse all' : 'Expand all';
  };

  const update = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const pressed = chips.filter((chip) => chip.ariaPressed === 'true');
    const verdicts = new Set(pressed.map((chip) => chip.dataset.verdict));
    for (const bench of benches) {
      const matches = words.every((word) => bench.text.includes(word))
        && (verdicts.size === 0 || verdicts.has(bench.verdict));
      bench.body.hidden = !matches;
    }
    const count = visible().length;
    const number = new Intl.NumberFormat('en');
    shown.textContent = count === benches.length
      ? `${number.format(count)} ${count === 1 ? 'bench' : 'benches'}`
      : `${number.format(count)} of ${number.format(benches.length)} benches`;
    find('#no-match').hidden = count > 0;
    countOpen();
  };

  form.hidden = false;
  for (const element of all('.keys')) element.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  filter.addEventListener('input', update);
  for (const chip of chips) {
    chip.addEventListener('click', () => {
      chip.ariaPressed = chip.ariaPressed === 'true' ? 'false' : 'true';
      update();
    });
  }

  // Sorting: numbers by what the cell says it stands for, names as text, unknown ones last.
  const collator = new Intl.Collator('en', { numeric: true });
  const headings = all('thead [role="columnheader"]', table);
  const compare = (column, direction) => (one, other) => {
    const [left, right] = [one, other].map((bench) => bench.cells[column]);
    if (headings[column].classList.contains('name')) {
      return direction * collator.compare(one.summary.textContent, other.summary.textContent);
    }
    const [a, b] = [left, right].map((cell) => cell.dataset.v);
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return direction * (a - b);
  };
  headings.forEach((heading, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    const downFirst = heading.classList.contains('num');
    button.addEventListener('click', () => {
      const was = heading.ariaSort;
      const ascending = was ? was === 'descending' : !downFirst;
      for (const other of headings) other.ariaSort = null;
      heading.ariaSort = ascending ? 'ascending' : 'descending';
      benches = benches.toSorted(compare(column, ascending ? 1 : -1));
      // Outside of the page, where each move of a thousand costs nothing.
      const place = document.createComment('');
      table.replaceWith(place);
      table.append(...benches.map(({ body }) => body));
      place.replaceWith(table);
      button.focus();
    });
  });

  table.addEventListener('toggle', countOpen, true);
  table.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    const chosen = window.getSelection().toString();
    if (!row || chosen || event.target.closest('summary, a, button')) return;
    const details = row.querySelector('details');
    details.open = !details.open;
  });
  expand.addEventListener('click', () => {
    const open = expand.textContent === 'Expand all';
    for (const { details } of visible()) details.open = open;
    countOpen();
  });

  const data = find('#data');
  find('#save').addEventListener('click', () => {
    const text = JSON.stringify(JSON.parse(data.textContent), null, 2);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'application/json' }));
    link.download = data.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === '/' && target !== filter) {
      event.preventDefault();
      filter.focus();
      filter.select();
      return;
    }
    if (event.key === 'Escape' && target === filter) {
      filter.value = '';
      update();
      return;
    }
    const rows = visible();
    const here = rows.findIndex(({ summary }) => summary === target);
    if (here < 0 && !(target === filter && event.key === 'ArrowDown')) return;
    const go = (index) => {
      const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
      row?.summary.focus();
      row?.body.querySelector('.row').scrollIntoView({ block: 'nearest' });
    };
    const keys = {
      ArrowDown: () => go(here + 1),
      ArrowUp: () => (here === 0 ? filter.focus() : go(here - 1)),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => { rows[here].details.open = true; },
      ArrowLeft: () => { rows[here].details.open = false; },
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  update();
})();
