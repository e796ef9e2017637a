// The window is open from here to the end of the process.
process.cpuUsage();
const { default: handlebars } = await import('handlebars');
handlebars.registerHelper('loud', (text) => text.toUpperCase());
const template = handlebars.compile(
  '{{#each people}}<li class="{{#if old}}old{{else}}young{{/if}}">{{loud name}} &amp; {{lookup ../pets @index}}</li>{{/each}}',
);
const people = Array.from({ length: 300 }, (_, i) => ({ name: `<person ${i}>`, old: i % 3 === 0 }));
console.log(template({ people, pets: people.map(({ name }) => `pet of ${name}`) }).length);
