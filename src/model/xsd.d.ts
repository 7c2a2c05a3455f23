declare module '*.xsd' {
  const text: string
  export default text
}
