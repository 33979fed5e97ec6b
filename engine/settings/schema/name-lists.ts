// Lists of attributes in which `*`, the default, means every attribute.

/**
 * Returns null, meaning every field, if there is a star anywhere; else the names without repeats.
 */
export const namesOrAll = (names: readonly string[]): readonly string[] | null =>
  names.includes('*') ? null : [...new Set(names)]

export const renderNames = (names: readonly string[] | null): readonly string[] => names ?? ['*']
