// The names of the files of a rotating log: `<name>-000003.log`.
import type { FileSystem } from '../storage/index.ts'

/** Returns the existing files of a log by ascending number; the last one is active. */
export function logFiles(
  fs: FileSystem,
  folder: string,
  name: string,
): readonly { readonly number: number; readonly path: string }[] {
  return numbersIn(fs, { folder, name }).map((number) => ({
    number,
    path: pathOf({ folder, name }, number),
  }))
}

type FolderAndName = { readonly folder: string; readonly name: string }

/** Returns the numbers of the existing files, ascending. */
export function numbersIn(fs: FileSystem, place: FolderAndName): readonly number[] {
  const numbers: number[] = []
  for (const name of fs.list(place.folder)) {
    const digits = /-(\d{6,15})\.log$/.exec(name)?.[1] ?? ''
    const number = Number(digits)
    if (number > 0 && pathOf(place, number) === `${place.folder}/${name}`) numbers.push(number)
  }
  return numbers.sort((a, b) => a - b)
}

export const pathOf = ({ folder, name }: FolderAndName, number: number): string =>
  `${folder}/${name}-${String(number).padStart(6, '0')}.log`
