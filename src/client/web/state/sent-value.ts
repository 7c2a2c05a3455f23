/** Values as requests bear them. */

/** A file that is uploaded goes by its key alone; all other values go as they are. */
export const planSent = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((each: unknown) => keyOfUpload(each) ?? each) : value

const keyOfUpload = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'UploadKey' in value ? value.UploadKey : undefined
