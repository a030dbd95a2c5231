# Links that ask for a draft. `countersign:` alone leads here: nothing else is opened by them.
!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\countersign" "" "URL:Countersign draft"
  WriteRegStr SHELL_CONTEXT "Software\Classes\countersign" "URL Protocol" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\countersign\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

# What Electron writes for the user who has seen a notice, so that Windows shows it and finds who answers a click on it: an entry of their
# own in the Start menu, beside the installer's for all users, and a key in the registry. It would stay behind.
# Only for the user who removes Countersign: for others of this computer see docs/administration.md.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey SHELL_CONTEXT "Software\Classes\countersign"
    SetShellVarContext current
    Delete "$SMPROGRAMS\${PRODUCT_NAME}.lnk"
    DeleteRegKey HKCU "Software\Classes\CLSID\{25DD9B6F-AC50-4F10-9396-6062CA646E0F}"
    ${if} $installMode == "all"
      SetShellVarContext all
    ${endif}
  ${endif}
!macroend
