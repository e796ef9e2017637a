/** A value, or a promise of it. */
type Awaitable<T> = T | PromiseLike<T>;

/** One combination of the values of `params`. */
type Combination<P> = { readonly [K in keyof P]: P[K] extends readonly (infer V)[] ? V : never };

type ParamLists = Readonly<Record<string, readonly unknown[]>>;

export interface BenchOptions<S = any, P extends ParamLists = {}> {
  /** Runs once before all ops; what it returns, awaited, is the state that the other functions get. */
  setup?: (params: Combination<P>) => Awaitable<S>;
  /** Runs once after all ops. */
  teardown?: (state: S, params: Combination<P>) => unknown;
  /** Runs before each batch of ops, and is not counted. */
  before?: (state: S, params: Combination<P>) => unknown;
  /** Runs after each batch of ops, and is not counted. */
  after?: (state: S, params: Combination<P>) => unknown;
  /** Ops per batch, 1 by default. Only with `before` or `after`. */
  batch?: number;
  /** Values to combine: one bench per combination, named `name (size=10)`. */
  params?: P;
}

export interface Bench {
  /**
   * Registers a function to measure. A promise that it returns is awaited. The state's type follows from `setup`
   * where that takes no parameters; otherwise annotate it at the function: `(state: State) => …`.
   */
  <S = any, const P extends ParamLists = {}>(
    name: string,
    fn: (state: S, params: Combination<P>) => unknown,
    options?: BenchOptions<S, P>,
  ): void;
  /** Registers a bench that is listed and not run. */
  skip: Bench;
  /** Registers a bench beside which all others without `only` are skipped. */
  only: Bench;
}

export interface Group {
  /** Registers the benches that its function registers under a common name. */
  (name: string, fn: () => void): void;
  /** Registers a group whose benches are listed and not run. */
  skip: Group;
}

export declare const bench: Bench;
export declare const group: Group;
