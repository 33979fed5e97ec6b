// Lists of attributes of which `*` means every one, and is the default.

/** A star anywhere means every field; repeats count once, at their first place. */
export const namesOrAll = (names: readonly string[]): readonly string[] | null =>
  names.includes('*') ? null : [...new Set(names)]

export const renderNames = (names: readonly string[] | null): readonly string[] => names ?? ['*']
