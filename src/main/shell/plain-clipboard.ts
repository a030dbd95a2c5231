/** The system's clipboard as far as text goes. */
import { clipboard } from 'electron'

export const plainClipboard = {
  read: async (): Promise<string> => clipboard.readText(),
  write: async (text: string): Promise<void> => clipboard.writeText(text),
  clear: (): void => clipboard.clear()
}
