// Which segments of a layer become one, judged by their sizes?
export {
  deadShare,
  GROWTH_BUSY,
  GROWTH_IDLE,
  likeRun,
  liveBytes,
  type Weighed,
} from './tiers.ts'
