/** Bytes by which the JSON text of a page of rows is read. */
export const QUOTE = 34
export const COMMA = 44
export const OPEN = 91
export const BACKSLASH = 92
export const CLOSE = 93
export const SMALL_F = 102
export const SMALL_N = 110
export const SMALL_T = 116
export const OPEN_OBJECT = 123
