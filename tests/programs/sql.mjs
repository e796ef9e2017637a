// The window is open from here to the end of the process.
process.cpuUsage();
const { default: open } = await import('sql.js');
// SQLite in WebAssembly.
const { Database } = await open();
const database = new Database();
database.run('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)');
const insert = database.prepare('INSERT INTO item (name, price) VALUES (?, ?)');
for (let i = 0; i < 3000; i++) insert.run([`item ${i % 97}`, (i * 37) % 1000 / 7]);
insert.free();
console.log(JSON.stringify(database.exec('SELECT name, count(*), sum(price) FROM item GROUP BY name ORDER BY 3 DESC LIMIT 5')));
console.log(JSON.stringify(database.exec("SELECT length(group_concat(name)) FROM item WHERE name LIKE '%7%'")));
