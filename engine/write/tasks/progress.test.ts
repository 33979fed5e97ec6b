// Progress: percentages of nested steps, and the duration of each.
import { describe, expect, it } from 'vitest'
import { ProgressTracker, percentageOf } from './progress.ts'

const step = (currentStep: string, finished: number, total: number) => ({
  currentStep,
  finished,
  total,
})

describe('percentageOf', () => {
  it.each([
    [[], 0],
    [[step('processing tasks', 0, 2)], 0],
    [[step('processing tasks', 0, 2), step('indexing', 3, 4)], 37.5],
    [[step('processing tasks', 1, 2), step('task', 1, 2)], 75],
    [[step('processing tasks', 0, 2), step('indexing', 1, 4), step('documents', 5, 10)], 18.75],
    [[step('processing tasks', 0, 2), step('nothing', 0, 0)], 0],
  ])('%j', (steps, percentage) => expect(percentageOf(steps)).toBe(percentage))
})

describe('ProgressTracker', () => {
  it('adds up each path in the order in which steps end', () => {
    let now = 0
    const tracker = new ProgressTracker(
      () => now,
      () => undefined,
    )
    now = 1
    tracker.report([step('indexing', 0, 2), step('extracting', 0, 10)])
    now = 4
    tracker.report([step('indexing', 1, 2), step('writing', 0, 3)])
    now = 9
    tracker.report([step('indexing', 1, 2), step('extracting', 9, 10)])
    now = 10
    tracker.phase(1)
    now = 12
    expect(Object.entries(tracker.trace())).toEqual([
      ['processing tasks > indexing > extracting', 4],
      ['processing tasks > indexing > writing', 5],
      ['processing tasks > indexing', 9],
      ['processing tasks', 10],
      ['writing tasks to disk', 2],
    ])
    expect(tracker.progress()).toEqual({
      steps: [step('writing tasks to disk', 1, 2)],
      percentage: 50,
    })
  })

  it('shows the open steps', () => {
    let changes = 0
    const tracker = new ProgressTracker(
      () => 0,
      () => changes++,
    )
    expect(changes).toBe(1)
    tracker.report([step('indexing', 3, 4)])
    expect(changes).toBe(2)
    expect(tracker.progress()).toEqual({
      steps: [step('processing tasks', 0, 2), step('indexing', 3, 4)],
      percentage: 37.5,
    })
    expect(Object.keys(tracker.trace())).toEqual([
      'processing tasks > indexing',
      'processing tasks',
    ])
  })
})
