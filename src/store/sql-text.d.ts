/** SQL files are embedded in the executable as their text. */
declare module '*.sql' {
  const text: string
  export default text
}
