// The order in which Vitest starts test files: the longest first, by `long-tests.table.ts`; the
// others follow in Vitest's own order (their last durations, or their sizes on a fresh clone).
// Isolated files come before all others, as in Vitest's own order: a worker that has loaded modules
// for shared use would be replaced for an isolated file. For the same reason, the files of the small
// projects come before those of the largest one.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONG_TESTS } from './long-tests.table.ts'

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const places = new Map(Object.keys(LONG_TESTS).map((file, i) => [file, i]))
    const place = ({ moduleId }: TestSpecification): number =>
      places.get(relative(root, moduleId)) ?? places.size
    const usual = await super.sort(files)
    const isolated = ({ project }: TestSpecification): number => Number(project.config.isolate)
    const sizes = new Map<string, number>()
    for (const { project } of files) sizes.set(project.name, (sizes.get(project.name) ?? 0) + 1)
    const size = ({ project }: TestSpecification): number => sizes.get(project.name)!
    return usual.sort(
      (a, b) => isolated(b) - isolated(a) || size(a) - size(b) || place(a) - place(b),
    )
  }
}
