// Connects two network namespaces by a link with delay, jitter, loss and duplication, also where the
// kernel has no netem. Jitter changes the order of packets.
//
//     link NAMESPACE ADDRESS NAMESPACE ADDRESS DELAY_MS JITTER_MS LOSS_PERCENT DUPLICATE_PERCENT
//
// Each ADDRESS has a prefix length. Prints `up`, then forwards packets until it is stopped. Each
// packet is delayed by DELAY_MS and a random time up to JITTER_MS. After a signal USR1 all packets are
// lost until the next signal, while both ends remain up. Needs root.

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace {

// Largest IP packet of the link, and a generous bound of the packets in it.
constexpr size_t MTU = 1500;
constexpr size_t MAX_PACKETS = 100000;

volatile sig_atomic_t is_black_hole = 0;

void toggle_black_hole(int) {
    is_black_hole = !is_black_hole;
}

[[noreturn]] void fail(const std::string& what) {
    perror(("link: " + what).c_str());
    exit(1);
}

double now_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns the file of a new network device in a namespace.
int open_device(const std::string& name, const std::string& address) {
    const int space = open(("/var/run/netns/" + name).c_str(), O_RDONLY);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) {
        fail("cannot enter the network namespace " + name);
    }
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    ifreq request{};
    strncpy(request.ifr_name, "link0", IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) {
        fail("cannot create a network device");
    }
    const std::string add = "ip address add " + address + " dev link0";
    const std::string up = "ip link set link0 mtu " + std::to_string(MTU) +
                           " txqueuelen 20000 multicast on up";
    if (system(add.c_str()) != 0 || system(up.c_str()) != 0) {
        fail("cannot configure the network device");
    }
    return device;
}

struct Packet {
    double due_s;
    unsigned long number;
    int device;
    std::vector<char> bytes;
};

struct Later {
    bool operator()(const Packet& a, const Packet& b) const {
        return a.due_s != b.due_s ? a.due_s > b.due_s : a.number > b.number;
    }
};

class Link {
public:
    Link(double delay_ms, double jitter_ms, double loss_percent, double duplicate_percent)
        : delay_s_(1e-3 * delay_ms), jitter_s_(1e-3 * jitter_ms), loss_(1e-2 * loss_percent),
          duplicate_(1e-2 * duplicate_percent) {}

    // Takes all packets that wait on `from`, and sends them to `to` later.
    void receive(int from, int to) {
        char buffer[2048];
        ssize_t size = 0;
        while (packets_.size() < MAX_PACKETS && (size = read(from, buffer, sizeof buffer)) > 0) {
            const bool is_lost = is_black_hole || uniform_(random_) < loss_;
            const int copies = is_lost ? 0 : uniform_(random_) < duplicate_ ? 2 : 1;
            for (int k = 0; k < copies; ++k) {
                const double due_s = now_s() + delay_s_ + jitter_s_ * uniform_(random_);
                packets_.push({due_s, ++number_, to, std::vector<char>(buffer, buffer + size)});
            }
        }
    }

    void send_due() {
        while (!packets_.empty() && packets_.top().due_s <= now_s()) {
            const Packet& packet = packets_.top();
            // a full queue of the device loses the packet, as a real link does
            if (write(packet.device, packet.bytes.data(), packet.bytes.size()) < 0) {
                ++refused_;
            }
            packets_.pop();
        }
    }

    // Returns the time until the next packet is due, at most 10 s.
    timespec wait() const {
        const double left = packets_.empty() ? 10 : std::max(packets_.top().due_s - now_s(), 0.0);
        return {static_cast<time_t>(left), static_cast<long>(1e9 * (left - static_cast<time_t>(left)))};
    }

private:
    double delay_s_, jitter_s_, loss_, duplicate_;
    std::mt19937_64 random_{7};
    std::uniform_real_distribution<double> uniform_{0, 1};
    std::priority_queue<Packet, std::vector<Packet>, Later> packets_;
    unsigned long number_ = 0, refused_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 9) {
        fprintf(stderr, "link: expected 8 arguments, found %d; see link.cpp\n", argc - 1);
        return 2;
    }
    const int devices[] = {open_device(argv[1], argv[2]), open_device(argv[3], argv[4])};
    Link link(atof(argv[5]), atof(argv[6]), atof(argv[7]), atof(argv[8]));
    signal(SIGUSR1, toggle_black_hole);
    puts("up");
    fflush(stdout);
    while (true) {
        pollfd files[] = {{devices[0], POLLIN, 0}, {devices[1], POLLIN, 0}};
        const timespec wait = link.wait();
        ppoll(files, 2, &wait, nullptr);
        for (int k = 0; k < 2; ++k) {
            if (files[k].revents & POLLIN) {
                link.receive(devices[k], devices[1 - k]);
            }
        }
        link.send_due();
    }
}
