// In an application this file holds what `appengine types` prints.
export type * from '../../demo/extensions/appengine.d.ts'
