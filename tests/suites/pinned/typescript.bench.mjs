// A large program: TypeScript's own compiler, from source text to JavaScript.
import { bench } from 'tiergate';
import ts from 'typescript';

const source = `
interface Item<T> { readonly id: number; name: string; value?: T; tags: string[] }
enum State { New = 'new', Open = 'open', Done = 'done' }
abstract class Store<T extends object> {
  protected items: Map<number, Item<T>> = new Map();
  constructor(private readonly state: State = State.New, public label = 'store') {}
  abstract load(path: string): Promise<Item<T>[]>;
  get size(): number { return this.items.size; }
  add(...more: Item<T>[]): this {
    for (const { id, ...rest } of more) this.items.set(id, { id, ...rest } as Item<T>);
    return this;
  }
  find(match: (item: Item<T>) => boolean): Item<T> | undefined {
    return [...this.items.values()].find((item) => match(item) && item.value?.toString() !== this.label);
  }
}
export default class Files extends Store<Date> {
  async load(path: string) {
    const text: string = await Promise.resolve(path);
    return text.split(/\\r?\\n/).map((line, id): Item<Date> => ({ id, name: line as string, tags: [] }));
  }
}
export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
`.repeat(3);
const options = { compilerOptions: { target: ts.ScriptTarget.ES2017, module: ts.ModuleKind.ESNext } };
bench('transpile', () => ts.transpileModule(source, options).outputText.length);
