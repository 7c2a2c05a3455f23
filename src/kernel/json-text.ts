/** JSON that is a text already, as it came from SQL: it goes into an answer as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
