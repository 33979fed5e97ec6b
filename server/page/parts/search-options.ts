// How a search treats its words, counts and merges: its form in the page's address and in a request.
// The defaults stand in neither.

export const STRATEGIES = ['last', 'all', 'frequency', 'any'] as const
export const FUSIONS = ['score', 'rrf'] as const

export type SearchOptions = {
  /** The words that a hit may lack. */
  readonly strategy: (typeof STRATEGIES)[number]
  /** True if the query has operators. */
  readonly isBoolean: boolean
  /** True if the number of hits is exact. */
  readonly isExact: boolean
  /** How hits by words and by meaning become one list. */
  readonly fusion: (typeof FUSIONS)[number]
}

export const DEFAULT_OPTIONS: SearchOptions = {
  strategy: 'last',
  isBoolean: false,
  isExact: false,
  fusion: 'score',
}

/** Returns the names of the options that are not the default. */
export const changedOptions = (options: SearchOptions): readonly (keyof SearchOptions)[] =>
  (Object.keys(DEFAULT_OPTIONS) as (keyof SearchOptions)[]).filter(
    (name) => options[name] !== DEFAULT_OPTIONS[name],
  )

/** Returns the members of a request that decide which documents the words find. */
export const wordMembers = ({ strategy, isBoolean }: SearchOptions): object => ({
  ...(strategy === 'last' ? {} : { matchingStrategy: strategy }),
  ...(isBoolean ? { querySyntax: 'boolean' } : {}),
})

/** Reads the options from the parameters of an address; unknown values are the default. */
export function readOptions(parameters: URLSearchParams): SearchOptions {
  const [strategy, fusion] = [parameters.get('words'), parameters.get('fusion')]
  return {
    strategy: STRATEGIES.find((one) => one === strategy) ?? DEFAULT_OPTIONS.strategy,
    isBoolean: parameters.get('syntax') === 'boolean',
    isExact: parameters.get('total') === 'exact',
    fusion: FUSIONS.find((one) => one === fusion) ?? DEFAULT_OPTIONS.fusion,
  }
}

export function writeOptions(options: SearchOptions, parameters: URLSearchParams): void {
  const { strategy, isBoolean, isExact, fusion } = options
  if (strategy !== DEFAULT_OPTIONS.strategy) parameters.set('words', strategy)
  if (isBoolean) parameters.set('syntax', 'boolean')
  if (isExact) parameters.set('total', 'exact')
  if (fusion !== DEFAULT_OPTIONS.fusion) parameters.set('fusion', fusion)
}
