// The application as it removes everything: what it says at the end is printed, as no window is there to answer it.
import { dialog } from 'electron'

dialog.showMessageBox = async ({ message, detail }) => {
  console.log(`${message}\n${detail}`)
  return { response: 0, checkboxChecked: false }
}
// Not awaited: Electron is ready only once this module has been evaluated.
void import('../../out/main/index.js')
