// The window is open from here to the end of the process.
process.cpuUsage();
const { default: _ } = await import('lodash');
const people = _.range(5000).map((i) => ({ id: i, group: i % 17, score: (i * 7919) % 1009 }));
const result = _(people).groupBy('group').mapValues((group) => _.sumBy(group, 'score')).toPairs().orderBy([1], ['desc']).value();
console.log(JSON.stringify(result));
console.log(_.isEqual(_.cloneDeep(people), people), _.template('hello <%= name %>')({ name: 'you' }), _.uniqBy(people, 'score').length);
