//! The commands that are known: what their operands are, and which of their options hand control to something else.
//!
//! A command that is not here is refused by the profiles that check every stage. A row says only what a reader of the command's manual can
//! check: nothing is allowed because it looks harmless.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Special, build, files, find, git, run, stream, wrap};

/// What a command does with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// They are text: nothing is opened.
    Text,
    /// They are files that are read.
    Read,
    /// The first is a pattern or a program, the others are files that are read.
    Pattern,
    /// They are files that are made, changed or removed, one by one.
    Write,
    /// They concern a project, whose own code may run.
    Build,
    /// The command has rules of its own.
    Special(Special),
}

/// One row: commands that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    names: &'static str,
    pub(crate) kind: Kind,
    /// Options whose value is text, not a path: letters and long names, without dashes.
    pub(crate) texts: &'static str,
    /// Options that are refused: letters and long names, without dashes.
    pub(crate) refused: &'static str,
}

const fn row(kind: Kind, names: &'static str, texts: &'static str, refused: &'static str) -> Row {
    Row {
        names,
        kind,
        texts,
        refused,
    }
}

use Kind::{Build, Pattern, Read, Text, Write};

const fn special(names: &'static str, judge: Special) -> Row {
    row(Kind::Special(judge), names, "", "")
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // === text ===
    row(Text, "echo seq expr true false : basename dirname pwd tput yes sleep type which whereis whatis apropos tldr help", "", ""),
    row(Text, "hash", "", "p"),
    row(Text, "man", "", "P H C L M T X Z pager html config-file preprocessor ditroff troff-device gxditview"),
    row(Text, "cal ncal uname arch nproc tty logname id groups whoami who w users uptime locale getconf printenv numfmt factor fortune cowsay figlet", "", ""),
    row(Text, "free lscpu lsblk lsusb lspci lsmod lsof vmstat iostat mpstat ps pstree pgrep pidof times ulimit umask getent hostnamectl sw_vers", "", ""),
    row(Text, "tr tsort clear dmidecode", "", ""),
    row(Text, "hostname", "", "F file b boot"),
    row(Text, "history", "", "a c d n p r s w"),
    row(Text, "netstat ss", "", "D F K N diag filter kill net"),
    row(Read, "bc", "", ""),
    row(Text, "uuidgen mcookie nproc", "", ""),
    // === read ===
    row(Read, "cat tac nl rev more most zcat bzcat xzcat zstdcat lz4cat", "b d f h i l n s v w body-numbering header-numbering footer-numbering number-format number-separator section-delimiter", ""),
    row(Read, "head tail", "c n s bytes lines sleep-interval pid max-unchanged-stats", ""),
    row(Read, "less", "b h j p P x y z pattern prompt tabs window", "k K lesskey-file lesskey-src o O log-file LOG-FILE"),
    row(Read, "bat batcat", "l r H language line-range highlight-line theme style wrap color decorations paging tabs terminal-width map-syntax file-name", "pager"),
    row(Read, "od hexdump hd strings", "A e j n N s S t w f address-radix read-bytes skip-bytes format width endian bytes encoding radix length", ""),
    row(Read, "wc cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum sum md5 shasum", "a algorithm l length", ""),
    row(Read, "stat", "c f t format printf", ""),
    row(Read, "file", "F P e separator parameter exclude", "C compile"),
    row(Read, "ls dir vdir exa eza lsd", "I T w s t L hide ignore sort time time-style width tabsize color colour block-size format quoting-style indicator-style level ignore-glob accessed", ""),
    row(Read, "tree", "P I L H T charset filelimit sort timefmt", ""),
    row(Read, "du df ncdu dust", "B d t T X max-depth threshold block-size exclude time time-style output type exclude-type", ""),
    row(Read, "diff cmp comm join sdiff diff3 colordiff", "C F I U W i j n o t v x 1 2 a e context unified width label ignore-matching-lines show-function-line exclude output-delimiter bytes ignore-initial", "diff-program"),
    row(Read, "paste cut column expand unexpand fold fmt pr look", "b c d f g h l n o O p s t w delimiter delimiters fields bytes characters output-delimiter separator output-separator width tabs goal prefix header length table-columns table-right table-name output-width", ""),
    row(Read, "sort", "k t S parallel key field-separator buffer-size batch-size sort", "T temporary-directory compress-program"),
    row(Read, "date", "d date rfc-3339 iso-8601 I", "s set"),
    row(Read, "base64 base32 basenc", "w wrap", ""),
    row(Read, "iconv", "f t from-code to-code", ""),
    row(Read, "realpath readlink namei", "", ""),
    row(Read, "nm objdump readelf size addr2line otool", "C M S j section format radix disassembler-options", ""),
    row(Read, "cloc tokei scc sloccount", "s t e f n c sort types languages exclude exclude-dir exclude-ext exclude-lang include-lang include-ext match-f match-d not-match-f format output num-format columns vcs", "extract-with script-lang strip-code strip-comments"),
    row(Read, "csvlook csvstat jsonlint shellcheck yamllint markdownlint hadolint flake8 pyflakes pycodestyle", "f s e S xpath format shell severity exclude select ignore max-line-length config-data", ""),
    row(Read, "zipinfo lsar", "", ""),
    // === pattern, then files ===
    row(Pattern, "grep egrep fgrep zgrep", "e A B C m d D regexp after-context before-context context max-count binary-files directories devices label include exclude exclude-dir color colour", ""),
    row(Pattern, "rg ripgrep", "e A B C E d g j m M r t T after-context before-context context encoding max-depth glob iglob max-count max-columns replace type type-not threads sort sortr color colors regexp type-add engine", "pre hostname-bin"),
    row(Pattern, "ag ack", "A B C G g m depth after before context file-search-regex ignore ignore-dir max-count workers", "pager"),
    row(Pattern, "jq gojq jaq", "indent arg argjson", "L library-path"),
    row(Pattern, "locate plocate", "n l limit", "d database"),
    // === write ===
    row(Write, "touch mkdir mkfifo truncate", "d m s t date mode size time context", ""),
    row(Write, "rmdir unlink", "", "p parents"),
    row(Write, "tee", "", ""),
    row(Write, "cp mv install", "S b m suffix mode backup sparse reflink preserve no-preserve owner group", ""),
    row(Write, "uniq csplit split shuf xxd base58", "a b c d f g i l n s w check-chars skip-chars skip-fields bytes lines number suffix-length head-count input-range len seek cols groupsize range echo all-repeated group", "filter"),
    row(Write, "gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 brotli dos2unix unix2dos", "S suffix", "M memlimit"),
    row(Write, "yq xq tomlq", "o p I output-format input-format indent arg", ""),
    row(Write, "prettier black isort gofmt rustfmt clang-format autopep8 shfmt", "l t i ln line-length target-version profile style parser tab-width print-width edition config-data emit", "plugin plugins cpuprofile"),
    // === projects ===
    row(Build, "pytest py.test", "k m n W o maxfail durations tb verbosity color", "p"),
    row(Build, "mypy pyright ruff pylint tsc eslint stylelint", "e f format output-format select ignore rule max-warnings target", "resolve-plugins-relative-to rulesdir plugin load-plugins init-hook"),
    row(Build, "jest vitest mocha", "t testNamePattern maxWorkers reporter", "globalSetup globalTeardown"),
    row(Build, "cmake ninja meson", "G D j T parallel", "P E"),
    row(Build, "ctest", "j R E parallel tests-regex build-config", "build-and-test test-command build-makeprogram S D M"),
    row(Build, "rustc", "C O W A D F Z codegen cfg crate-name crate-type edition emit explain opt-level print target warn allow deny", ""),
    row(Build, "javac", "g encoding release source target", "processor processorpath J"),
    row(Build, "gcc g++ cc c++ clang clang++", "D U O W std", "wrapper B specs fplugin fuse-ld Xlinker"),
    row(Build, "gradle mvn sbt", "P D", "I init-script"),
    // === their own rules ===
    special("rm", files::rm),
    special("ln", files::ln),
    special("chmod", files::chmod),
    special("tar bsdtar", files::tar),
    special("unzip zip", files::zip),
    special("find", find::find),
    special("fd fdfind", find::fd),
    special("sed gsed", stream::sed),
    special("awk gawk mawk nawk", stream::awk),
    special("env", wrap::env),
    special("time nohup command nice ionice stdbuf timeout gtimeout chronic caffeinate", wrap::prefix),
    special("xargs", wrap::xargs),
    special("watch hyperfine", wrap::texts),
    special("sh bash dash ash ksh zsh", wrap::shell),
    special("busybox toybox", wrap::applet),
    special("printf test [", run::text_or_variable),
    special("cd", run::cd),
    special("export", run::export),
    special("exit return wait", run::number),
    special("python python3", run::python),
    special("node nodejs", run::node),
    special("git", git::git),
    special("cargo", build::cargo),
    special("go", build::go),
    special("npm pnpm yarn", build::npm),
    special("pip pip3", build::pip),
    special("make gmake", build::make),
];

static TABLE: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| {
    ROWS.iter()
        .flat_map(|row| row.names.split(' ').map(move |name| (name, row)))
        .collect()
});

/// The row of a command.
pub(crate) fn row_of(name: &str) -> Option<&'static Row> {
    TABLE.get(name).copied()
}

/// Commands that hand over control, change the machine or reach the network. No profile lets them run, and none asks what their operands are.
#[rustfmt::skip]
const DANGEROUS: &[(&str, &str)] = &[
    ("acts as somebody else", "sudo su doas pkexec runuser setpriv newgrp sg passwd chpasswd visudo useradd usermod userdel groupadd adduser deluser gpasswd chsh chfn login"),
    ("changes disks or file systems", "mkfs mke2fs mkswap wipefs fdisk sfdisk gdisk parted dd shred mount umount losetup swapon swapoff blkdiscard hdparm badblocks fsck e2fsck tune2fs cryptsetup lvremove vgremove pvremove zpool zfs btrfs format diskpart diskutil"),
    ("stops or changes the machine", "shutdown reboot halt poweroff init telinit systemctl service initctl rc-service launchctl sysctl insmod rmmod modprobe kexec hwclock timedatectl loginctl update-grub grub-install update-rc.d chkconfig"),
    ("ends other programs", "kill killall pkill skill xkill taskkill"),
    ("runs something later", "crontab at batch atd anacron systemd-run schtasks"),
    ("reaches the network", "curl wget aria2c axel fetch lynx links w3m elinks nc ncat netcat nc.openbsd nc.traditional socat telnet ssh scp sftp rsync ftp lftp tftp rlogin rsh rcp ping ping6 traceroute tracepath mtr nmap masscan dig nslookup host whois drill tcpdump tshark arp arping ip ifconfig route iptables ip6tables nft ufw firewall-cmd smbclient rpcclient mail mailx sendmail mutt openssl gpg httpie http xh websocat ngrok"),
    ("runs code that is not judged", "perl ruby php lua luajit tclsh wish expect gdb lldb jshell groovy scala ghci erl elixir iex julia octave R Rscript osascript jrunscript irb pry deno bun ts-node tsx npx pnpx bunx uvx pipx corepack dc m4 ed ex vi vim nvim view vimdiff nano emacs pico joe mcedit eval exec source . builtin trap alias unalias enable fc bind complete set shopt declare typeset readonly local unset read mapfile readarray let script screen tmux byobu dtach setsid disown parallel entr run-parts start-stop-daemon strace ltrace gcore perf bpftrace ld.so ld-linux.so ldconfig ldd psql mysql sqlite3 mongo mongosh redis-cli"),
    ("leaves the sandbox", "chroot unshare nsenter bwrap firejail docker podman nerdctl ctr crictl kubectl helm minikube lxc lxc-exec machinectl virsh qemu-img qemu-system-x86_64 vagrant terraform ansible ansible-playbook aws gcloud az snap flatpak"),
    ("installs or removes software", "apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port emerge gem easy_install conda mamba composer cpan cabal choco winget scoop msiexec"),
    ("changes owners, attributes or the clipboard", "chown chgrp chattr setfacl setcap chcon xattr rename xclip xsel pbcopy pbpaste wall write mesg dmesg"),
    ("is a command of another system", "cmd cmd.exe command.com powershell powershell.exe pwsh wscript cscript mshta rundll32 regsvr32 certutil bitsadmin wmic reg sc net net1 netsh del erase rd copy xcopy robocopy move ren systeminfo ipconfig tasklist attrib icacls cacls takeown vssadmin wevtutil bcdedit cipher"),
];

static DANGERS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    DANGEROUS
        .iter()
        .flat_map(|(why, names)| names.split(' ').map(move |name| (name, *why)))
        .collect()
});

/// Why a command is never run, if it is one of those.
pub(crate) fn danger_of(name: &str) -> Option<&'static str> {
    let family = || {
        ["mkfs.", "fsck.", "qemu-system-", "mount.", "ld-linux"]
            .iter()
            .find(|prefix| name.starts_with(*prefix))
    };
    DANGERS
        .get(name)
        .copied()
        .or_else(|| family().map(|_| "changes or leaves the system"))
}

/// Whether the name is a command's, allowed or not.
pub(crate) fn is_known(name: &str) -> bool {
    row_of(name).is_some() || danger_of(name).is_some()
}
