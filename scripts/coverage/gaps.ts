// Coverage of one run, as Istanbul writes it: how many statements were executed, and the lines with
// statements or branches that were not.

type Place = { readonly start: { readonly line?: number } }

/** The members that are read; counts are by the keys of the maps. */
export type FileCoverage = {
  readonly statementMap: { readonly [key: string]: Place }
  readonly s: { readonly [key: string]: number }
  readonly branchMap: { readonly [key: string]: { readonly locations: readonly Place[] } }
  readonly b: { readonly [key: string]: readonly number[] }
}

/** Statements, and those of them that were executed. */
export type Count = { readonly statements: number; readonly executed: number }

export function countOf(files: readonly FileCoverage[]): Count {
  const counts = files.flatMap(({ s }) => Object.values(s))
  return { statements: counts.length, executed: counts.filter((count) => count > 0).length }
}

/** Returns the numbers of the lines that were not executed, or not in each branch, in order. */
export function linesNotExecuted({ statementMap, s, branchMap, b }: FileCoverage): number[] {
  const statements = Object.entries(statementMap).filter(([key]) => s[key] === 0)
  const branches = Object.entries(branchMap).flatMap(([key, { locations }]) =>
    locations.filter((_, at) => b[key]![at] === 0),
  )
  const places = [...statements.map(([, place]) => place), ...branches]
  const lines = new Set(places.flatMap(({ start }) => start.line ?? []))
  return [...lines].sort((x, y) => x - y)
}
