// Chooses the segments of a layer to merge into one: segments of similar sizes.
export {
  BUSY,
  deadShare,
  IDLE,
  liveBytes,
  similarRun,
  TAKE_OVER,
  type Weighed,
} from './tiers.ts'
