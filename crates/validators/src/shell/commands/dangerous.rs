//! The commands that no profile allows, with reasons.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The commands that give away control, change the machine or reach the network. No profile allows them, whatever their
/// operands.
#[rustfmt::skip]
const DANGEROUS: &[(&str, &str)] = &[
    ("acts as another user", "sudo su doas pkexec runuser setpriv newgrp sg passwd chpasswd visudo useradd usermod userdel groupadd adduser deluser gpasswd chsh chfn login"),
    ("changes disks or file systems", "mkfs mke2fs mkswap wipefs fdisk sfdisk gdisk parted dd shred mount umount losetup swapon swapoff blkdiscard hdparm badblocks fsck e2fsck tune2fs cryptsetup lvremove vgremove pvremove zpool zfs btrfs format diskpart diskutil"),
    ("stops or changes the machine", "shutdown reboot halt poweroff init telinit systemctl service initctl rc-service launchctl sysctl insmod rmmod modprobe kexec hwclock timedatectl loginctl update-grub grub-install update-rc.d chkconfig"),
    ("ends other programs", "kill killall pkill skill xkill taskkill"),
    ("runs something later", "crontab at batch atd anacron systemd-run schtasks"),
    ("reaches the network", "curl wget aria2c axel fetch lynx links w3m elinks nc ncat netcat nc.openbsd nc.traditional socat telnet ssh scp sftp rsync ftp lftp tftp rlogin rsh rcp ping ping6 traceroute tracepath mtr nmap masscan dig nslookup host whois drill tcpdump tshark arp arping ip ifconfig route iptables ip6tables nft ufw firewall-cmd smbclient rpcclient mail mailx sendmail mutt openssl gpg httpie http xh websocat ngrok"),
    ("runs code that is not judged", "perl ruby php lua luajit tclsh wish expect gdb lldb jshell groovy scala ghci erl elixir iex julia octave R Rscript osascript jrunscript irb pry deno bun ts-node tsx npx pnpx bunx uvx pipx corepack dc m4 ed ex vi vim nvim view vimdiff nano emacs pico joe mcedit eval exec source . builtin trap alias unalias enable fc bind complete shopt declare typeset readonly local unset read mapfile readarray let script screen tmux byobu dtach setsid disown parallel entr run-parts start-stop-daemon strace ltrace gcore perf bpftrace ld.so ld-linux.so ldconfig ldd psql mysql sqlite3 mongo mongosh redis-cli"),
    ("leaves the sandbox", "chroot unshare nsenter bwrap firejail ctr crictl helm minikube lxc lxc-exec machinectl virsh qemu-img qemu-system-x86_64 vagrant terraform ansible ansible-playbook aws gcloud az snap flatpak"),
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

/// Returns why a command is never run, if it is one of those.
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
