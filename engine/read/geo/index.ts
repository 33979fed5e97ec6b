// Places on the globe: circles, shapes, nearest documents, sorts by distance.
export { geoAreas } from './areas.ts'
export { geoCircles } from './geo-circles.ts'
export { distanceMetres } from './geo-distance.ts'
export { geoShapes } from './geo-shapes.ts'
export { geoSortBuckets } from './geo-sort.ts'
