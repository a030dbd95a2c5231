/** The type of `window.countersign`: one function a request, grouped by the part before the dot, and `on` for events. */
import type { Result } from './errors.ts'
import type { EventName, Events } from './events.ts'
import type { Input, Reply, RequestName } from './requests.ts'

type Domain<Name extends string> = Name extends `${infer First}.${string}` ? First : never
type Action<Name extends string, First extends string> = Name extends `${First}.${infer Rest}` ? Rest : never

type Call<Name extends RequestName> =
  undefined extends Input<Name>
    ? () => Promise<Result<Reply<Name>>>
    : (input: Input<Name>) => Promise<Result<Reply<Name>>>

export type Api = {
  [First in Domain<RequestName>]: {
    [Rest in Action<RequestName, First>]: Call<`${First}.${Rest}` & RequestName>
  }
} & {
  /** Listens to an event; answers the function that stops listening. */
  on<Name extends EventName>(name: Name, listener: (payload: Events[Name]) => void): () => void
}
