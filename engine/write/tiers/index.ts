// Similar sizes: which segments of a layer are merged into one.
export {
  BUSY,
  deadShare,
  IDLE,
  liveBytes,
  similarRun,
  TAKE_OVER,
  type Weighed,
} from './tiers.ts'
