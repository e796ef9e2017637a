import { bench, group } from 'tiergate';

interface State {
  items: number[];
}

group('typed', () => {
  bench('sum', (state: State) => state.items.reduce((sum, item) => sum + item, 0), {
    params: { size: [10, 100] },
    setup: ({ size }): State => ({ items: Array.from({ length: size }, (_, index) => index) }),
  });
});
